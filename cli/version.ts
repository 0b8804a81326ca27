// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'

export function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return JSON.parse(text).version
}
