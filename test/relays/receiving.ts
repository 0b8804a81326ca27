// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver } from '../../examples/relay/receiver.ts'
import { testFolder } from '../test-folder.ts'

/** What a receiver, or what stands before it, makes of a message. */
export type Reply =
  /** Hands it on, and its answer back. */
  | { readonly kind: 'pass' }
  /** The receiver takes it, and its answer never comes: the connection ends. */
  | { readonly kind: 'swallow' }
  /** Takes nothing, and ends the connection. */
  | { readonly kind: 'close' }
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Record<string, string> }
  /** Hands it on, and its answer back after so long. */
  | { readonly kind: 'late'; readonly ms: number }

export type Seen = { readonly id: string; readonly body: string; readonly signature: string }

/** The receiver of `examples/`, with a proxy before it that can be told to lose, delay or answer. */
export class Receiving {
  readonly #proxy: Server
  readonly #target: string
  readonly #path: string
  secret = ''
  /** Messages that came to the proxy, in their order. */
  readonly seen: Seen[] = []
  reply: (message: Seen, count: number) => Reply = () => ({ kind: 'pass' })

  private constructor(target: string, path: string) {
    this.#target = target
    this.#path = path
    this.#proxy = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy())
    })
  }

  static async start(t: Pick<TestContext, 'after'>): Promise<Receiving> {
    const path = join(await testFolder(t, 'receiver'), 'copy.db')
    let receiving: Receiving | undefined
    const receiver = createReceiver(path, () => receiving?.secret ?? '')
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    receiving = new Receiving(urlOf(receiver), path)
    await receiving.listen(0)
    t.after(async () => {
      await receiving?.away()
      receiver.closeAllConnections()
      await new Promise((done) => receiver.close(done))
    })
    return receiving
  }

  get url(): string {
    return urlOf(this.#proxy)
  }

  async listen(port: number): Promise<void> {
    this.#proxy.listen(port, '127.0.0.1')
    await once(this.#proxy, 'listening')
  }

  /** Nobody is at its address any more. */
  async away(): Promise<void> {
    this.#proxy.closeAllConnections()
    if (this.#proxy.listening) await new Promise((done) => this.#proxy.close(done))
  }

  /** The rows of a table as the receiver has them, by their keys. */
  copyOf(table: string): Array<Record<string, unknown>> {
    const db = new DatabaseSync(this.#path, { readOnly: true })
    try {
      const rows = db.prepare('SELECT key, row FROM copy WHERE tab = ? ORDER BY key').all(table)
      return rows.map(({ row }) => JSON.parse(String(row)))
    } finally {
      db.close()
    }
  }

  /** How many messages the receiver has applied, or keeps as parts of one. */
  get taken(): number {
    const db = new DatabaseSync(this.#path, { readOnly: true })
    try {
      return Number(db.prepare('SELECT count(*) AS count FROM taken').get()?.count)
    } finally {
      db.close()
    }
  }

  /** Waits until a look returns true; fails after a while. */
  async until(look: () => boolean | Promise<boolean>, words: string): Promise<void> {
    for (let tries = 0; tries < 1_200; tries += 1) {
      if (await look()) return
      await sleep(25)
    }
    assert.fail(`${words}; seen: ${this.seen.map(({ id }) => id).join(', ')}`)
  }

  async #handle(request: IncomingMessage, response: import('node:http').ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { 'webhook-id': id, 'webhook-signature': signature } = request.headers
    const message = { id: String(id), body: body.toString(), signature: String(signature) }
    this.seen.push(message)
    const reply = this.reply(message, this.seen.length)
    if (reply.kind === 'close') return response.destroy()
    if (reply.kind === 'answer') return response.writeHead(reply.status, reply.headers).end()
    const status = await this.#pass(request, body)
    if (reply.kind === 'swallow') return response.destroy()
    if (reply.kind === 'late') await sleep(reply.ms)
    return response.writeHead(status).end()
  }

  #pass({ headers }: IncomingMessage, body: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(this.#target, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
