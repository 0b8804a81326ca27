#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
import { runCommandLine } from './run-command-line.ts'

const streams = { output: process.stdout, errors: process.stderr }
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, streams)
