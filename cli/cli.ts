#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
import { runCommandLine } from './run-command-line.ts'

// Whoever reads the output has seen enough: `percolite query … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const streams = { input: process.stdin, output: process.stdout, errors: process.stderr }
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, streams)
