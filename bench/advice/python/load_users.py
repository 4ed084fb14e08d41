"""Users as dicts of equal keys."""


def load(count):
    users = []
    for i in range(count):
        users.append({"id": i, "age": i % 90, "active": i % 3 == 0})  # here: equal-dicts
    return users


users = load(20000)
print(sum(user["age"] for user in users if user["active"]))
