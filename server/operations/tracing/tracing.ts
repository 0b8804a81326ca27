// SPDX-License-Identifier: Apache-2.0
import type { Span, Tracer } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { withoutTokens } from '../../../storage/tables/access/access.ts'

type Api = typeof import('@opentelemetry/api')

/** Where the SDK of OpenTelemetry puts what it was set up with (its API 1.x). */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** A span for each request, in the trace that its `traceparent` names. */
export class Tracing {
  readonly #api: Api
  readonly #tracer: Tracer

  constructor(api: Api, version: string) {
    this.#api = api
    this.#tracer = api.trace.getTracer('percolite', version)
  }

  /** Follows the requests of all routes that are added later. */
  watch(http: FastifyInstance): void {
    const { context, propagation, SpanKind } = this.#api
    http.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
      const { method = '' } = raw
      const route = routeOptions.url ?? 'unknown'
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'url.path': withoutTokens(raw.url?.split('?')[0] ?? ''),
        'percolite.operation': routeOptions.config.operationId ?? '',
      }
      const parent = propagation.extract(context.active(), raw.headers)
      const options = { kind: SpanKind.SERVER, attributes }
      const span = this.#tracer.startSpan(`${method} ${route}`, options, parent)
      reply.raw.once('close', () => this.#end(span, reply.raw.statusCode))
      done()
    })
  }

  #end(span: Span, status: number): void {
    span.setAttribute('http.response.status_code', status)
    if (status >= 500) span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    span.end()
  }
}

/** Undefined in a process without the SDK of OpenTelemetry, where no request has anything to do with it. */
export async function tracingOf(version: string): Promise<Tracing | undefined> {
  const registered = (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[
    REGISTERED
  ]
  if (registered?.trace === undefined) return undefined
  return new Tracing(await import('@opentelemetry/api'), version)
}
