// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import { startProgram } from './child-server.ts'
import type { MeasuredServer } from './measured-server.ts'
import type { RawPutsOrder } from './raw-puts.ts'

export type HelloOrder = {
  readonly path: string
  /** A real answer of the product, so that both send as much. */
  readonly answer: unknown
  /** Where what each request brings is put before it is answered. */
  readonly puts?: RawPutsOrder
}

export type HelloServer = MeasuredServer & { readonly origin: string }

/** Fastify answering one constant JSON for each path, in a process of its own. */
export function startHello(folder: string, order: HelloOrder): Promise<HelloServer> {
  return startProgram(
    'hello',
    fileURLToPath(new URL('./hello-main.ts', import.meta.url)),
    order,
    folder,
  )
}
