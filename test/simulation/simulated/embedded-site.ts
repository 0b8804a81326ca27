// SPDX-License-Identifier: Apache-2.0
import { ORACLE_ROW } from '../../../storage/cells/row-key.ts'
import { EmbeddedWatch } from '../checkers/embedded-watch.ts'
import { COMMIT_MODES, type CommitMode } from '../swarm.ts'
import type { CellImage } from './cell-image.ts'
import { type Engine, Gateway } from './gateway.ts'
import { SimulatedDisk } from './simulated-disk.ts'
import { SimulatedEmbeddedStore } from './simulated-embedded-store.ts'
import type { Site, SiteDependencies } from './site.ts'
import { WatchedLatches } from './watched-latches.ts'
import { WriterFaults } from './writer-faults.ts'

type Running = {
  readonly cellStore: SimulatedEmbeddedStore
  readonly latches: WatchedLatches
  readonly commit: CommitMode
}

/** One process after the other, each the only owner of the same disk. */
export class EmbeddedSite implements Site {
  readonly gateways: readonly [Gateway]
  readonly #deps: SiteDependencies
  readonly #disk: SimulatedDisk
  readonly #faults: WriterFaults
  #running: Running | undefined
  #checkedTs = 0

  constructor(deps: SiteDependencies) {
    this.#deps = deps
    const { world, swarm, log, violations } = deps
    const { commitTurnRows } = swarm.embedded
    const largeStarts = new Set<number>()
    const watch = new EmbeddedWatch(log, world.counters, largeStarts)
    this.#disk = new SimulatedDisk(world.counters, (group) =>
      watch.durable(group, this.#counter('safePoint')),
    )
    this.#faults = new WriterFaults(world.random, swarm, world.faults)
    const engine: Engine = (process, clock) => {
      const { share, memtableCells } = swarm.embedded.redoLog
      const commit = this.#drawCommitMode()
      const usesRedoLog = share > 0 && world.random.fraction() < share
      const own = {
        ...{ process, clock, disk: this.#disk, faults: this.#faults, memtableCells },
        redoLog: usesRedoLog ? 'always' : 'never',
        // Latches hide what is not durable. Two phases rely on the order that SQLite keeps (A2).
        mayShowFirst: commit !== 'two-phase',
        broken: (cause: unknown) => violations.add('redo log', String(cause)),
        recovered: (tables: CellImage) => this.#checkRecovered(tables),
      } as const
      const cellStore = new SimulatedEmbeddedStore(world, own)
      const latches = new WatchedLatches(world.counters, largeStarts)
      this.#running = { cellStore, latches, commit }
      world.counters.count(`start with --commit ${commit}`)
      const turns = commitTurnRows === undefined ? {} : { commitTurnRows }
      return { cellStore, options: { owner: 'exclusive', commit, latches, ...turns } }
    }
    this.gateways = [new Gateway('server', world, { swarm, violations, engine })]
  }

  get cells(): CellImage['cells'] {
    return this.#disk.image.cells
  }

  checkMoment(): void {
    this.#checkMark()
    this.#checkLocks()
  }

  checkRest(): void {
    const size = this.#running?.latches.size ?? 0
    if (size > 0) this.#deps.violations.add('liveness', `${size} latches are left over`)
  }

  /** J1: no lock is in the view of a process that commits in one phase, from the moment in which it serves. */
  #checkLocks(): void {
    if (this.#running === undefined || !this.gateways[0].isServing) return
    const { violations } = this.#deps
    // Locks that nobody clears only become more, and each would be looked at in each moment.
    if (violations.any) return
    const { cellStore, commit } = this.#running
    if (commit === 'two-phase') return
    for (const [name, { cells }] of cellStore.locked) {
      for (const { timestamp } of cells) {
        violations.add('J1', `${name.slice(1)}: a lock of ${timestamp} was left`)
      }
    }
  }

  /** J7: no timestamp leaves the process before a mark above it is on the disk. */
  #checkMark(): void {
    const { history, violations } = this.#deps
    const { newestTs } = history
    if (newestTs <= this.#checkedTs) return
    this.#checkedTs = newestTs
    const mark = this.#counter('timestamp')
    if (newestTs > mark) violations.add('J7', `${newestTs} was given out above the mark ${mark}`)
  }

  /** R1, R3, R4: a start makes of the file what the groups that are certain to stay have made of the store. */
  #checkRecovered(tables: CellImage): void {
    const [found, expected] = [tables, this.#disk.image].map((image) => image.text())
    if (found !== expected)
      this.#deps.violations.add('redo log', 'a start has lost or revived cells')
  }

  #drawCommitMode(): CommitMode {
    const { swarm, world } = this.#deps
    const { commit } = swarm.embedded
    if (commit !== 'changing') return commit
    return COMMIT_MODES[world.random.below(COMMIT_MODES.length)] as CommitMode
  }

  #counter(qualifier: string): number {
    const [cell] = this.#disk.image.read(ORACLE_ROW, [{ family: 'data', qualifier }])?.cells ?? []
    return cell === undefined ? 0 : Number(Buffer.from(cell.value).readBigInt64BE())
  }
}
