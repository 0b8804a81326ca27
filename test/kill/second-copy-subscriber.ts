// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { connect, type Database } from '../../client-sdk/client.ts'
import { type QueryClient, until } from '../standby/query-client.ts'
import { notesAt } from './second-copy-ledger.ts'

type Note = { readonly id: number; readonly text: string }

/** Keeps the notes as a subscription says, over promotions: with its bookmark, or from a snapshot after a reset. */
export class NoteSubscriber {
  readonly #db: Database
  readonly #notes = new Map<string, number>()
  readonly #following: Promise<void>
  readonly #doubled: string[] = []
  #isClosed = false
  #failure: unknown
  #resets = 0
  #commits = 0

  constructor(url: readonly string[], token: string) {
    this.#db = connect({ url: [...url], token })
    this.#following = this.#follow().catch((error) => {
      if (!this.#isClosed) this.#failure = error
    })
  }

  get said(): string {
    return `a subscriber was told of ${this.#commits} commits, and began again ${this.#resets} times`
  }

  /** It comes to what is there. */
  async check(at: QueryClient): Promise<void> {
    const notes = await notesAt(at)
    const late = () => `the subscriber: it has ${this.#notes.size} of ${notes.size} notes`
    await until(() => this.#failure !== undefined || this.#notes.size >= notes.size, late())
    assert.equal(this.#failure, undefined)
    assert.deepEqual(new Map([...this.#notes].toSorted()), new Map([...notes].toSorted()))
    assert.deepEqual(this.#doubled, [])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#db.close()
    await this.#following
  }

  async #follow(): Promise<void> {
    const sql = 'SCAN id, text FROM note USE PRIMARY KEY'
    for await (const event of this.#db.subscribe<Note>(sql, [], { snapshot: true })) {
      if (event.kind === 'reset') {
        this.#resets += 1
        this.#notes.clear()
      } else if (event.kind === 'rows') {
        for (const { row } of event.rows) this.#add(row)
      } else if (event.kind === 'commit') {
        this.#commits += 1
        for (const { row } of event.changes) if (row !== undefined) this.#add(row)
      }
    }
  }

  #add({ id, text }: Note): void {
    if (this.#notes.has(text)) this.#doubled.push(text)
    this.#notes.set(text, id)
  }
}
