// SPDX-License-Identifier: Apache-2.0

import { open } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

// Loaded by the server before anything else: what its main thread calls can be counted from outside. Node.js says on
// standard error where it listens.
if (isMainThread) open(0, '127.0.0.1')
