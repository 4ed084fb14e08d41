"""A history of all events, which nobody reads."""


class Server:
    def __init__(self):
        self.history = []

    def handle(self, request):
        self.history.append((request, len(request)))  # here: growing
        return len(request)


server = Server()
total = 0
for i in range(40000):
    total += server.handle("request %d of a client" % i)  # here: growing
print(total)
