// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises'
import { withOutputs } from './statements-page.ts'

// Runs the statements of `docs/forty-statements.md` and writes their output below them:
//     node test/forty-statements/generate-statements-page.ts
// What stands around them is written by hand and stays.

const path = new URL('../../docs/forty-statements.md', import.meta.url)
const { page } = await withOutputs(await readFile(path, 'utf8'))
await writeFile(path, page)
