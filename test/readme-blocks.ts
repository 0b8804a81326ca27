// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'

/** Commands of a page, and the output below them: of a `console` what they print first, else all of it. */
export type ReadmeBlock = {
  readonly kind: 'sh' | 'console'
  readonly commands: string
  /** Undefined where none is shown. */
  readonly output: string | undefined
}

const BLOCK =
  /```(?:sh\n([\s\S]*?)```(?:\n```(?:json|text)\n([\s\S]*?)```)?|console\n\$ ((?:.*\\\n)*.*\n)([\s\S]*?)```)/g

/** The blocks of the section whose title begins so, in their order. */
export function readmeBlocks(title: string, page = 'README.md'): readonly ReadmeBlock[] {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8')
  const section = text.split('\n## ').find((one) => one.startsWith(title)) ?? ''
  return [...section.matchAll(BLOCK)].map(([, commands, output, started, said]) =>
    started === undefined
      ? { kind: 'sh', commands: commands ?? '', output }
      : { kind: 'console', commands: started, output: said },
  )
}

/** Timestamps and ids are different each time. */
export function withoutStamps(output: string): string {
  return output
    .replace(/"\d{16}\.[0-9a-f]{32}"/g, '"<id>"')
    .replace(/"shape":"[^"]+"/, '"shape":"<shape>"')
    .replace(/"history":"[0-9a-f]{32}(\.[0-9a-f]{24})?"/, '"history":"<history>"')
    .replace(/\b\d{16}\b/g, '<timestamp>')
    .trim()
}
