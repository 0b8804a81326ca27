// SPDX-License-Identifier: Apache-2.0

import type { Sample } from '../harness/sample.ts'
import { measureHere, runClosedLoop } from './closed-loop.ts'
import type { LoadAnswer, LoadRequest } from './load-process.ts'
import { runOpenLoop } from './open-loop.ts'
import type {
  OpenWorkload,
  RunOrder,
  SampledWorkload,
  Workload,
  WorkloadOrder,
} from './workload.ts'

// The program of a load process: it opens a workload, and runs it whenever its parent says so. It
// has an event loop of its own, so that neither the harness nor a server adds to what it measures.

let open: { readonly workload: Workload | SampledWorkload; readonly clients: number } | undefined
let running = new AbortController()

async function openWorkload(order: WorkloadOrder): Promise<void> {
  const module: { readonly openWorkload: OpenWorkload<unknown> } = await import(order.module)
  const { clients, seed } = order
  open = { workload: await module.openWorkload(order.settings, { clients, seed }), clients }
}

async function run(order: RunOrder): Promise<Sample> {
  if (open === undefined) throw new Error('the workload is not open')
  const { workload } = open
  running = new AbortController()
  const { signal } = running
  if ('run' in workload) return await workload.run(order, signal)
  const { seconds, ratePerSecond, mix, clients = open.clients } = order
  if (mix !== undefined) workload.choose?.(mix)
  const sample = await measureHere(() =>
    ratePerSecond === undefined
      ? runClosedLoop({
          clients,
          seconds,
          signal,
          takesLatency: true,
          operation: (sequence, client) => workload.operate(client, sequence, performance.now()),
        })
      : runOpenLoop({
          ratePerSecond,
          seconds,
          signal,
          operation: (sequence, intendedMs) =>
            workload.operate(sequence % clients, sequence, intendedMs),
        }),
  )
  return { ...sample, figures: (await workload.takeFigures?.()) ?? {} }
}

async function answer(request: LoadRequest): Promise<LoadAnswer> {
  switch (request.kind) {
    case 'open':
      await openWorkload(request.order)
      return { kind: 'opened' }
    case 'run':
      return { kind: 'sample', sample: await run(request.order) }
    case 'close':
      await open?.workload.close()
      return { kind: 'closed' }
  }
}

function tell(said: LoadAnswer): void {
  process.send?.(said, () => {
    if (said.kind === 'closed') process.disconnect?.()
  })
}

process.on('message', (request: LoadRequest | { readonly kind: 'abort' }) => {
  if (request.kind === 'abort') {
    running.abort()
    return
  }
  answer(request).then(tell, (error: unknown) => {
    tell({ kind: 'failed', message: error instanceof Error ? String(error.stack) : String(error) })
  })
})
// The parent is gone: nobody wants the figures any more.
process.on('disconnect', () => process.exit())
// Ctrl-C reaches the whole group of processes; the parent decides when this one ends.
process.on('SIGINT', () => {})
