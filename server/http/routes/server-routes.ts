// SPDX-License-Identifier: Apache-2.0
import { type Storage, timeText } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import { readPackageFile } from '../../package-files.ts'
import type { Drain } from '../drain.ts'
import type { Handlers } from '../openapi/binding.ts'
import type { OpenApiDocument } from '../openapi/document.ts'

const LINKS = { documentation: '/docs', openapi: '/openapi.yaml' }
const CONSOLE = '/console/'

export function serverRoutes(parts: {
  readonly document: OpenApiDocument
  readonly version: string
  readonly isStopping: () => boolean
  readonly drain: Drain
  readonly storage: Storage
  readonly hasConsole: boolean
}): Handlers {
  const { document, version, isStopping, drain, storage, hasConsole } = parts
  const yaml = readPackageFile('openapi.yaml')
  return {
    async getRoot({ raw, reply }) {
      if (!hasConsole) return { name: 'percolite', version, ...LINKS }
      reply.header('Vary', 'Accept')
      // A browser that somebody has pointed here, and no program.
      const wantsPage = /\btext\/html\b/.test(raw.headers.accept ?? '')
      if (wantsPage) return reply.redirect(CONSOLE, 302)
      return { name: 'percolite', version, ...LINKS, console: CONSOLE }
    },

    async getHealth() {
      return { status: 'ok', ...storeAnsweredAt(storage) }
    },

    async getReadiness() {
      drain.readinessAsked()
      const { outage, warnings } = storage.health
      // It may be why the server stops.
      if (outage !== undefined) throw outage
      if (isStopping() || drain.isDraining)
        throw new ServerError('overloaded', 'The server is stopping.')
      return { status: 'ready', warnings }
    },

    async getOpenApiYaml({ reply }) {
      reply.header('content-type', 'application/yaml; charset=utf-8')
      return yaml
    },

    async getOpenApiJson() {
      return document.json
    },
  }
}

/** When a store on other machines last answered; nothing of one in this process. */
export function storeAnsweredAt({ health }: Pick<Storage, 'health'>): {
  readonly storeAnsweredAt?: string
} {
  const { answeredMicros } = health
  return answeredMicros === undefined ? {} : { storeAnsweredAt: timeText(answeredMicros) }
}
