// SPDX-License-Identifier: Apache-2.0
import type { StorageWarning } from '../../../storage/storage.ts'
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
  readonly warnings: () => readonly StorageWarning[]
  readonly hasConsole: boolean
}): Handlers {
  const { document, version, isStopping, drain, warnings, hasConsole } = parts
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
      return { status: 'ok' }
    },

    async getReadiness() {
      drain.readinessAsked()
      if (isStopping() || drain.isDraining)
        throw new ServerError('overloaded', 'The server is stopping.')
      return { status: 'ready', warnings: warnings() }
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
