print("gattbench")
