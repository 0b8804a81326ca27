// SPDX-License-Identifier: Apache-2.0
import type { StorageWarning } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Drain } from '../drain.ts'
import type { Handlers } from '../openapi/binding.ts'
import type { OpenApiDocument } from '../openapi/document.ts'

export function serverRoutes(parts: {
  readonly document: OpenApiDocument
  readonly version: string
  readonly isStopping: () => boolean
  readonly drain: Drain
  readonly warnings: () => readonly StorageWarning[]
}): Handlers {
  const { document, version, isStopping, drain, warnings } = parts
  return {
    async getRoot() {
      return { name: 'percolite', version, documentation: '/docs', openapi: '/openapi.yaml' }
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
      return document.yaml
    },

    async getOpenApiJson() {
      return document.json
    },
  }
}
