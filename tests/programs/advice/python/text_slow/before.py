"""A text that another name holds until the next step, which comes late."""
import time

text = ""
for i in range(300):
    before = text
    text += "%d is a number; " % i  # here: string-append
    time.sleep(0.002)
print(len(text))
