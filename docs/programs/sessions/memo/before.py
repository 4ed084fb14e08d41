"""A service that answers requests, and remembers every answer."""
answers = {}


def answer(request):
    if request not in answers:
        answers[request] = f"{request}: " + "x" * 40
    return answers[request]


total = 0
for number in range(1000000):
    total += len(answer(f"/item/{number}"))
print(total)
