// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  type EngineName,
  type SharedEngine,
  startEngine,
} from '../../bench/engines/shared-engine.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { GatewaySet } from './gateway-set.ts'

// The example and the brokerage benchmark over two gateways.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OBSERVERS = `${ROOT}examples/web-index/observers.ts`
const WEB_INDEX = ['-C', 'percolite:source', 'examples/web-index/main.ts']
const PAGES = 100
const BROKERAGE = ['bench/main.ts', 'brokerage', '--profile', 'tiny', '--against', 'none']

/** Crawlers at one gateway, observers in both, and the check at the other one. */
export async function runWebIndex(name: EngineName, seed: number): Promise<boolean> {
  return await withEngine(name, async (engine) => {
    const random = new SeededRandomness(seed)
    const gateways = new GatewaySet(engine, { random, flags: ['--observers', OBSERVERS] })
    try {
      await gateways.start(2)
      const [one = '', other = ''] = gateways.urls
      const example = async (url: string, ...words: string[]) =>
        await succeeds(engine, [...WEB_INDEX, ...words, '--url', url])
      return (
        (await example(one, 'load', '--pages', String(PAGES))) && (await example(other, 'check'))
      )
    } finally {
      await gateways.close()
    }
  })
}

/** The brokerage workload; its data is moved there before the run. */
export async function runBrokerage(name: EngineName, seconds: number): Promise<boolean> {
  return await withEngine(name, (engine) =>
    succeeds(engine, [...BROKERAGE, '--seconds', String(seconds), '--store', engine.moveTo]),
  )
}

/** The same, and the data is moved in the middle of the run, under its users. */
export async function runMove(name: EngineName, seconds: number): Promise<boolean> {
  const move = ['--move', '--seconds', String(seconds)]
  return await withEngine(name, (engine) =>
    succeeds(engine, [...BROKERAGE, ...move, '--store', engine.moveTo]),
  )
}

async function withEngine(
  name: EngineName,
  run: (engine: SharedEngine) => Promise<boolean>,
): Promise<boolean> {
  const engine = await startEngine(name)
  try {
    return await run(engine)
  } finally {
    await engine.close()
  }
}

/** Runs a program of this repository, whose output is shown. */
async function succeeds(engine: SharedEngine, args: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ...engine.env }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) console.log(`${args.join(' ')} ended with ${code}`)
  return code === 0
}
