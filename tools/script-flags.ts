// SPDX-License-Identifier: Apache-2.0
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

const EXIT_MISUSED = 2

/**
 * The flags of a script. Prints its help and ends for `--help` and `-h`; a flag that it does not have is one line,
 * the help, and exit code 2.
 */
export function scriptFlags<const T extends ParseArgsOptionsConfig>(
  help: string,
  options: T,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
) {
  const ownAndHelp = { ...options, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parsed(help, () =>
    parseArgs({ options: ownAndHelp, allowPositionals }),
  )
  if ((values as { help?: boolean }).help === true) {
    console.log(help)
    process.exit(0)
  }
  return { values, positionals: positionals as readonly string[] }
}

/** Says what is wrong with the call, and how it should be, and ends with exit code 2. */
export function endMisused(help: string, problem: string): never {
  console.error(`${problem}\n\n${help}`)
  process.exit(EXIT_MISUSED)
}

function parsed<R>(help: string, parse: () => R): R {
  try {
    return parse()
  } catch (error) {
    return endMisused(help, (error as Error).message)
  }
}
