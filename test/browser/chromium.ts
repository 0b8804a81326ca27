// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import type { Browser } from 'playwright-core'

const { PERCOLITE_CHROMIUM } = process.env
const NAMES =
  PERCOLITE_CHROMIUM === undefined ? ['chromium', 'google-chrome'] : [PERCOLITE_CHROMIUM]
/** As root, and without a graphics card or a process for one. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--headless=shell']

function installed(): string | undefined {
  return NAMES.map((name) =>
    spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).stdout.trim(),
  ).find((path) => path !== '')
}

/** What is missing on this machine; false when Chromium can be started. With CI=true it throws instead. */
export function chromiumSkipReason(): string | false {
  if (installed() !== undefined) return false
  const text =
    `${NAMES.join(' or ')} is not there: apt-get install -y --no-install-recommends chromium, or the path ` +
    'of another one in PERCOLITE_CHROMIUM'
  if (process.env.CI === 'true') throw new Error(text)
  return text
}

/** It ends with this process, however that ends, because they are joined by a pipe. */
export async function launchChromium(): Promise<Browser> {
  // Where it is not launched, nothing is loaded for it.
  const { chromium } = await import('playwright-core')
  return await chromium.launch({ executablePath: installed() as string, args: FLAGS })
}
