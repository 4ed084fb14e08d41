"""Users as dicts of equal keys."""


def load(count):
    users = []
    for i in range(count):
        users.append({"id": i, "age": i % 90, "active": i % 3 == 0})  # here: equal-dicts
    return users


users = load(20000)
for age in range(90):  # longer than loading took, or it would seem to go on
    print(age, sum(user["active"] for user in users if user["age"] == age))
