// SPDX-License-Identifier: Apache-2.0
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PLANTED_BUGS } from './planted-bugs.ts'

// Loaded before a test: the file of the planted bug is read with the bug in it. No file is changed.

const planted = PLANTED_BUGS.find(({ name }) => name === process.env.PLANTED_BUG)
if (planted === undefined) throw new Error(`There is no bug ${process.env.PLANTED_BUG}.`)
const { file, find, replace } = planted
const url = new URL(`../../${file}`, import.meta.url).href

registerHooks({
  load(asked, context, nextLoad) {
    const loaded = nextLoad(asked, context)
    if (asked !== url) return loaded
    const text = String(loaded.source)
    if (text.split(find).length !== 2)
      throw new Error(`${fileURLToPath(url)} has not once: ${find}`)
    return { ...loaded, source: text.replace(find, () => replace) }
  },
})
