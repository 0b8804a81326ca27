// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { createReceiver } from './receiver.ts'

const [path = 'copy.db', secretFile = 'secret.txt', port = '4280'] = process.argv.slice(2)
// Read for each message, so that a rotated secret needs no restart.
const secretOf = () => readFileSync(secretFile, 'utf8').trim()
createReceiver(path, secretOf).listen(Number(port), '127.0.0.1', () => {
  console.log(`takes the messages of a relay at http://127.0.0.1:${port}, into ${path}`)
})
