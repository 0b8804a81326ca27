// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { startTestServer } from '../../../test/server/test-server.ts'
import { tracingOf } from './tracing.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

after(() => {
  trace.disable()
  propagation.disable()
  context.disable()
})

test('without the SDK there is nothing that a request could meet', async () => {
  assert.equal(await tracingOf('1'), undefined)
})

test('with it each request is a span of its trace, without statements or tokens', async (t) => {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const server = await startTestServer(t)
  const { url } = await server.listen()
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  exporter.reset()
  // Known texts, single rows and pages take other ways to their answer.
  for (const sql of [
    "GET * FROM account WHERE id = 'bob'",
    "GET * FROM account WHERE id = 'bob'",
    'GET nonsense',
  ]) {
    await fetch(`${url}/v1/query`, {
      method: 'POST',
      body: JSON.stringify({ sql }),
      headers: { 'content-type': 'application/json', traceparent: PARENT },
    }).then((answer) => answer.text())
  }
  await fetch(`${url}/v1/tables/account/rows/bob`).then((answer) => answer.text())
  const spans = await untilThere(exporter, 4)
  assert.deepEqual(
    spans.map(({ name, kind, attributes }) => [
      name,
      kind,
      attributes['http.response.status_code'],
    ]),
    [
      ['POST /v1/query', SpanKind.SERVER, 200],
      ['POST /v1/query', SpanKind.SERVER, 200],
      ['POST /v1/query', SpanKind.SERVER, 400],
      ['GET /v1/tables/:table/rows/:key', SpanKind.SERVER, 404],
    ],
  )
  const [first, , , row] = spans
  assert.equal(first?.spanContext().traceId, '4bf92f3577b34da6a3ce929d0e0e4736')
  assert.equal(first?.parentSpanContext?.spanId, '00f067aa0ba902b7')
  assert.equal(first?.attributes['percolite.operation'], 'query')
  assert.equal(row?.parentSpanContext, undefined)
  assert.equal(first?.status.code, SpanStatusCode.UNSET)
  assert.ok(!JSON.stringify(spans.map(({ attributes }) => attributes)).includes('nonsense'))
})

/** A span ends when its connection has what was sent. */
async function untilThere(exporter: InMemorySpanExporter, count: number) {
  const deadline = Date.now() + 5_000
  while (exporter.getFinishedSpans().length < count && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return exporter.getFinishedSpans()
}
