def squares(n):
    result = []
    for i in range(n):
        result.append(i * i)
    return result


print(len(squares(1500)))
