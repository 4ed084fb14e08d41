// Orders of a bakery, each with its list of goods.
#[derive(Clone)]
struct Order {
    customer: String,
    goods: Vec<String>,
}

struct Day {
    orders: Vec<Order>,
}

impl Day {
    fn order(&self, number: usize) -> Order {
        self.orders[number % self.orders.len()].clone()
    }
}

fn pieces(day: &Day, good: &str) -> usize {
    let mut sum = 0;
    for number in 0..4000 {
        let order = day.order(number);
        sum += order.goods.iter().filter(|g| g.as_str() == good).count() + order.customer.len() % 2;
    }
    sum
}

fn main() {
    let goods = ["bread", "roll", "pretzel", "cake"];
    let orders = (0..100)
        .map(|i| Order {
            customer: format!("customer number {}", i),
            goods: (0..10).map(|k| goods[(i + k) % 4].to_string()).collect(),
        })
        .collect();
    println!("{}", pieces(&Day { orders }, "pretzel"));
}
