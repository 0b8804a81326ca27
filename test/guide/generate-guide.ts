// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'
import { guidePages, runPage } from './guide-pages.ts'

// Runs the statements and commands of `docs/coming-from-sql.md` and of the pages in `docs/guide/`, and writes their
// output below them:
//     node test/guide/generate-guide.ts
// What stands around them is written by hand and stays, and so does output that differs in timestamps only.

for (const path of guidePages().values()) writeFileSync(path, (await runPage(path)).run)
