#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
import { EXIT } from './command.ts'
import { runCommandLine } from './run-command-line.ts'

// Whoever reads the output has seen enough: `percolite query … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`percolite: the output cannot be written: ${error.message}\n`)
  process.exit(EXIT.failed)
})
// Where errors cannot be written, nobody can be told; the exit code says what came of it.
process.stderr.on('error', () => {})
const streams = { input: process.stdin, output: process.stdout, errors: process.stderr }
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, streams)
