// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { Chooser } from '../differential/random/random-table.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { HOSTILE_TABLES, HostileStatements } from './hostile-statement.ts'
import { type Timed, timed } from './timed-statement.ts'

const HELP = `npm run test:work -- [--statements 300] [--seed 7]

Sends hostile statements to a server, beside a prober of its health, and takes the best of three where one ran for more
than twice its time, or held the prober up. Fails by its exit code.

  --statements  how many are sent (300)
  --seed        the first statement, as it was named; without it, chance decides`

const { values: flags } = scriptFlags(HELP, {
  statements: { type: 'string', default: '300' },
  seed: { type: 'string' },
})
const statements = Number(flags.statements)
const first = flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(flags.seed)
if (!(statements > 0) || !Number.isSafeInteger(first)) {
  endMisused(HELP, '--statements and --seed are numbers.')
}

const TIMEOUT_MS = 500
const BLOCKED_MS_MAX = 250
const TRIES = 3

const isTooLong = ({ elapsedMs, blockedMs }: Timed) =>
  elapsedMs > 2 * TIMEOUT_MS || blockedMs > BLOCKED_MS_MAX

const folder = await mkdtemp(join(tmpdir(), 'percolite-work-'))
const server = await ServerProcess.start(folder)
let failures = 0
try {
  for (const text of HOSTILE_TABLES) await timed(server.url, { text, parameters: {} }, 30_000)
  const statuses: Record<number, number> = {}
  const most = { elapsedMs: 0, blockedMs: 0 }
  for (let seed = first; seed < first + statements; seed += 1) {
    const statement = new HostileStatements(new Chooser(new SeededRandomness(seed))).next()
    let best: Timed | undefined
    for (let tries = 0; tries < TRIES && (best === undefined || isTooLong(best)); tries += 1) {
      const { status, elapsedMs, blockedMs } = await timed(server.url, statement, TIMEOUT_MS)
      best = {
        status,
        elapsedMs: Math.min(elapsedMs, best?.elapsedMs ?? elapsedMs),
        blockedMs: Math.min(blockedMs, best?.blockedMs ?? blockedMs),
      }
    }
    if (best === undefined) break
    statuses[best.status] = (statuses[best.status] ?? 0) + 1
    most.elapsedMs = Math.max(most.elapsedMs, best.elapsedMs)
    most.blockedMs = Math.max(most.blockedMs, best.blockedMs)
    if (best.status !== 500 && !isTooLong(best)) continue
    failures += 1
    const { elapsedMs, blockedMs, status } = best
    console.log(
      `seed ${seed}: ${status}, ${elapsedMs.toFixed()} ms, others waited ${blockedMs.toFixed()} ms`,
    )
    console.log(`  ${statement.text.slice(0, 300)}`)
  }
  const figures = `at most ${most.elapsedMs.toFixed()} ms, others waited at most ${most.blockedMs.toFixed()} ms`
  console.log(
    `${statements} statements from seed ${first}: ${figures}; ${JSON.stringify(statuses)}`,
  )
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exit(failures === 0 ? 0 : 1)
