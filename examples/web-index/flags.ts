// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util'

export type Flags = {
  readonly folder: string
  readonly loaders: number
  readonly url: string | undefined
}

export const HELP = `Usage: npm run example:web-index -- [folder] [--loaders 8] [--url http://127.0.0.1:4983]

Loads the Markdown, licence and HTML documents below a folder (node_modules by default) and clusters
those with the same content, as Figure 2 of the Percolator paper does.

  --loaders <n>  how many documents are loaded at the same time (default 8, at most 256)
  --url <url>    a server that runs already; its tables web_document, web_duplicates and web_cluster
                 are replaced. Without it a private server is started and its data removed at the end.
  --help         this text
`

const LOADERS_MAX = 256

/** A wrong use of the command line, in one sentence. */
export class UsageError extends Error {}

/** The flags, or 'help'. */
export function readFlags(args: readonly string[], defaultFolder: string): Flags | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const loaders = Number(values.loaders)
  if (!Number.isInteger(loaders) || loaders < 1 || loaders > LOADERS_MAX) {
    throw new UsageError(`--loaders is a number from 1 to ${LOADERS_MAX}, not ${values.loaders}`)
  }
  if (positionals.length > 1) throw new UsageError(`one folder, not ${positionals.length}`)
  return { folder: positionals[0] ?? defaultFolder, loaders, url: values.url }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        loaders: { type: 'string', default: '8' },
        url: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    // The first sentence says what is wrong; the second, how to pass a file of that name.
    throw new UsageError((error as Error).message.replace(/\. .*/s, ''))
  }
}
