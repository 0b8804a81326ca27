// SPDX-License-Identifier: Apache-2.0

// The Bigtable of the Go client's own tests, as a program: prints its address, and ends with its input.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"cloud.google.com/go/bigtable/bttest"
)

func main() {
	server, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(server.Addr)
	io.Copy(io.Discard, os.Stdin)
	server.Close()
}
