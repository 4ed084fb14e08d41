"""Sends letters, and tells whoever wants to know."""


class Post:
    def __init__(self):
        self.listeners = []

    def listen(self, listener):
        self.listeners.append(listener)

    def send(self, letter):
        for listener in self.listeners[-1:]:
            listener(letter)


class Campaign:
    def __init__(self, post, number):
        self.letters = [f"Letter {number}.{i}: how do you do?" for i in range(20)]
        self.sent = 0
        post.listen(self.count)

    def count(self, letter):
        self.sent += 1

    def run(self, post):
        for letter in self.letters:
            post.send(letter)
        return self.sent


post = Post()
total = 0
for number in range(1500):
    total += Campaign(post, number).run(post)
print(total)
