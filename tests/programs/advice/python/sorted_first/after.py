import heapq

numbers = [i * 7919 % 10007 for i in range(5000)]
total = 0
for i in range(200):
    total += heapq.nsmallest(3, numbers)[i % 3]
print(total)
