// Blocks whose holders are known, in Rust's ways: each function allocates what one root holds, or nothing.
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

static CACHE: OnceLock<Mutex<HashMap<u32, Vec<u8>>>> = OnceLock::new();
static LISTENERS: Mutex<Vec<Box<dyn Fn() -> usize + Send>>> = Mutex::new(Vec::new());
static ORDERS: Mutex<BTreeMap<u32, String>> = Mutex::new(BTreeMap::new());
static SHARED: Mutex<Option<Arc<[u8; 5000]>>> = Mutex::new(None);
static LEAKED: AtomicPtr<[u8; 4321]> = AtomicPtr::new(std::ptr::null_mut());
thread_local! {
    static OWN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Ring {
    other: RefCell<Option<Rc<Ring>>>,
    _bytes: [u8; 100],
}

#[inline(never)]
fn fill_cache() {
    let mut cache = CACHE.get_or_init(Default::default).lock().unwrap();
    for i in 0..500 {
        cache.insert(i, vec![1; 200]);
    }
}

#[inline(never)]
fn add_listeners() {
    for i in 0..40 {
        let captured = [i; 30];
        LISTENERS.lock().unwrap().push(Box::new(move || captured[3]));
    }
}

#[inline(never)]
fn fill_orders() {
    for i in 0..300 {
        ORDERS.lock().unwrap().insert(i, "an order, which has a text".repeat(4));
    }
}

#[inline(never)]
fn share() {
    *SHARED.lock().unwrap() = Some(Arc::new([7; 5000]));
}

#[inline(never)]
fn leak() {
    LEAKED.store(Box::leak(Box::new([1; 4321])), Ordering::Relaxed);
}

#[inline(never)]
fn keep_own() {
    OWN.with(|own| {
        for _ in 0..20 {
            own.borrow_mut().push("mine".repeat(30));
        }
    });
}

#[inline(never)]
fn lose_rings() {
    for _ in 0..9 {
        let one = Rc::new(Ring { other: RefCell::new(None), _bytes: [0; 100] });
        let two = Rc::new(Ring { other: RefCell::new(Some(one.clone())), _bytes: [0; 100] });
        *one.other.borrow_mut() = Some(two);
    }
}

#[inline(never)]
fn clear_stack() {
    black_box([0u8; 1 << 16]);
}

fn main() {
    fill_cache();
    add_listeners();
    fill_orders();
    share();
    leak();
    keep_own();
    lose_rings();
    clear_stack();
    black_box(LEAKED.load(Ordering::Relaxed));
    std::process::exit(0);
}
