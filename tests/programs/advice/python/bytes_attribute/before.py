"""Bytes that an attribute holds."""


class Packet:
    data = b""

    def add(self, number):
        self.data = self.data + b"%d " % number + b"\n"  # here: string-append


packet = Packet()
for i in range(3000):
    packet.add(i)
print(len(packet.data))
