// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A way to the server that breaks when a test says so. */
export async function startBreakingProxy(context: Pick<TestContext, 'after'>, url: string) {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let answeredBytes = 0
  /** Told of a request that begins with `text`, once the server has begun to answer it. */
  let lost: { readonly text: string; readonly onAnswered: () => void } | undefined
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (lost === undefined || !bytes.toString('latin1').startsWith(lost.text)) return
      far.unpipe(near)
      far.once('data', lost.onAnswered)
      far.resume()
    })
    near.pipe(far)
    far.pipe(near)
    far.on('data', (bytes) => {
      answeredBytes += bytes.length
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  context.after(async () => {
    const closed = once(server, 'close')
    server.close()
    breakAll()
    await closed
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAll,
    /**
     * From now on nothing comes back of the answers to requests that begin with this text. Resolves when the server has
     * begun to answer the first of them.
     */
    loseAnswers: (text: string) =>
      new Promise<void>((resolve) => {
        lost = { text, onAnswered: resolve }
      }),
    loseNone() {
      lost = undefined
    },
    /** Where connections lead from now on: the server has come back with another address. */
    turnTo(url: string) {
      target = new URL(url)
    },
    /** How much has come from the server. */
    get answeredBytes() {
      return answeredBytes
    },
  }
}
