// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'

/** What has to be given back when nobody asks for anything any more. */
const HELD_BY_NOBODY = [
  'shared_queued_requests',
  'shared_requests',
  'shared_received_bytes',
  'shared_unsent_bytes',
  'shared_buffered_bytes',
  'shared_open_transactions',
  'open_transactions',
  'interactive_transactions',
]

const LOOKS_MAX = 50
const LOOK_AGAIN_MS = 7

/** A small request each: reads and writes, by the fast path and by the ordinary way. */
const SMALL = [
  'GET * FROM big WHERE id = 1',
  'SCAN id FROM big LIMIT 10',
  'SET n = 1 ON small WHERE id = -1',
  'INSERT INTO small (id, n) VALUES (-2, 1) ON CONFLICT DO NOTHING',
  'DELETE FROM small WHERE id = -2',
]

/** What is still wrong when the load has gone. */
export async function aftermath(url: string, healthMsMax: number): Promise<string[]> {
  const faults = await heldStill(url)
  for (const sql of SMALL) {
    const { status } = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
    if (status !== 200) faults.push(`afterwards ${sql} is answered with ${status}`)
  }
  const beganMs = performance.now()
  const health = await fetch(`${url}/healthz`)
  const healthMs = performance.now() - beganMs
  if (health.status !== 200 || healthMs > healthMsMax) {
    faults.push(`afterwards health is ${health.status} after ${Math.round(healthMs)} ms`)
  }
  return faults
}

/** What is still held. The small client goes on with its requests, so a moment between two of them is sought. */
async function heldStill(url: string): Promise<string[]> {
  let held: string[] = []
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const text = await (await fetch(`${url}/metrics`)).text()
    held = HELD_BY_NOBODY.flatMap((name) => {
      const value = new RegExp(`^percolite_${name} (.*)$`, 'm').exec(text)?.[1]
      return value === '0' ? [] : [`afterwards percolite_${name} is ${value}`]
    })
    if (held.length === 0) break
    await sleep(LOOK_AGAIN_MS)
  }
  return held
}
