// SPDX-License-Identifier: Apache-2.0
import { connect } from '../../client-sdk/client.ts'
import type { Workload } from '../load/workload.ts'

export type RemoteWorkersSettings = {
  readonly origin: string
  readonly observer: string
  readonly workers: number
}

/** Workers of an observer in a process of their own, from the moment on at which this is opened. */
export async function openWorkload(settings: RemoteWorkersSettings): Promise<Workload> {
  const { origin, observer, workers } = settings
  const db = connect({ url: origin })
  const worker = db.observe<{ n: number }>(
    observer,
    async (tx, { key, row }) => {
      await tx.query('SET n = $1 ON derived WHERE id = $2', [(row?.n ?? 0) * 2, key[0] as number])
    },
    { workers },
  )
  return {
    operate: () => Promise.reject(new Error('The work is the server’s to give.')),
    close: async () => {
      await worker.stop()
      db.close()
    },
  }
}
