// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Row } from '@percolite/client'
import { createReceiver } from '../relay/receiver.ts'

/** What answers searches far from the index: it keeps a copy of tables by the messages of a relay. */
export class ServingSystem implements AsyncDisposable {
  readonly #folder: string
  readonly #receiver: Server
  /** Of the relay. Messages with another signature are refused, and sent again. */
  secret = ''

  private constructor(folder: string) {
    this.#folder = folder
    this.#receiver = createReceiver(this.#path, () => this.secret)
  }

  /** On a free port, with a data folder that is removed when it is disposed of. */
  static async start(): Promise<ServingSystem> {
    const system = new ServingSystem(await mkdtemp(join(tmpdir(), 'percolite-serving-')))
    system.#receiver.listen(0, '127.0.0.1')
    await once(system.#receiver, 'listening')
    return system
  }

  /** Where a relay sends to. */
  get url(): string {
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}`
  }

  /** The rows that it has of a table. */
  copyOf(table: string): Row[] {
    using db = new DatabaseSync(this.#path, { readOnly: true })
    const copies = db.prepare('SELECT row FROM copy WHERE tab = ?').all(table)
    return copies.map(({ row }) => JSON.parse(String(row)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#receiver.closeAllConnections()
    await new Promise((resolve) => this.#receiver.close(resolve))
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #path(): string {
    return join(this.#folder, 'copy.db')
  }
}
