// SPDX-License-Identifier: Apache-2.0
import { readPackageFile } from '../../../package-files.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { Handlers } from '../openapi/binding.ts'

const LINKS = { documentation: '/docs', openapi: '/openapi.yaml' }
const CONSOLE = '/console/'

export function serverRoutes({
  contract,
  version,
  availability,
  probes,
  config,
}: RouteDependencies): Handlers {
  const yaml = readPackageFile('openapi.yaml')
  const llms = readPackageFile('docs/llms.txt')
  return {
    async getRoot({ raw, reply }) {
      if (!config.hasConsole) return { name: 'percolite', version, ...LINKS }
      reply.header('Vary', 'Accept')
      // A browser that somebody has pointed here, and no program.
      const wantsPage = /\btext\/html\b/.test(raw.headers.accept ?? '')
      if (wantsPage) return reply.redirect(CONSOLE, 302)
      return { name: 'percolite', version, ...LINKS, console: CONSOLE }
    },

    async getHealth({ raw }) {
      probes.letIn(raw.raw)
      return probes.health()
    },

    async getReadiness({ raw }) {
      probes.letIn(raw.raw)
      return probes.readiness(availability)
    },

    async getLlmsTxt({ reply }) {
      reply.header('content-type', 'text/plain; charset=utf-8')
      return llms
    },

    async getOpenApiYaml({ reply }) {
      reply.header('content-type', 'application/yaml; charset=utf-8')
      return yaml
    },

    async getOpenApiJson() {
      return contract.document.json
    },
  }
}
