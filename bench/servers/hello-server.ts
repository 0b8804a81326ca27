// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import { ChildServer } from './child-server.ts'
import type { MeasuredServer } from './measured-server.ts'
import type { RawPutsOrder } from './raw-puts.ts'

const MAIN = fileURLToPath(new URL('./hello-main.ts', import.meta.url))

/** Answers by path: real answers of the product, so that both send as much. */
export type HelloOrder = {
  readonly answers: Readonly<Record<string, unknown>>
  /** Where what each request brings is put before it is answered. */
  readonly puts?: RawPutsOrder
}

export type HelloServer = MeasuredServer & { readonly origin: string }

/** Fastify answering one constant JSON for each path, in a process of its own. */
export async function startHello(folder: string, order: HelloOrder): Promise<HelloServer> {
  let port = 0
  const server = await ChildServer.start({
    name: 'hello',
    program: process.execPath,
    args: [MAIN, JSON.stringify(order)],
    folder,
    // The log is that of this process alone.
    ready: async (log) => {
      port = Number(/^port (\d+)$/m.exec(log)?.[1])
      if (!(port > 0)) throw new Error('it has not named its port')
    },
  })
  return { origin: `http://127.0.0.1:${port}`, pid: server.pid, close: () => server.stop() }
}
