// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises'
import { withHistories } from './isolation-page.ts'

// Writes the histories of `docs/isolation.md` again after a scenario was changed:
//     node test/isolation/generate-isolation-page.ts
// What stands around them is written by hand and stays.

const page = new URL('../../docs/isolation.md', import.meta.url)
await writeFile(page, withHistories(await readFile(page, 'utf8')))
