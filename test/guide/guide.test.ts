// SPDX-License-Identifier: Apache-2.0
import { describe } from 'node:test'
import { guidePages, LONG_PAGES, testPage } from './guide-pages.ts'

describe('the statements and commands of the guide answer what is printed below them', () => {
  for (const name of guidePages().keys()) if (!LONG_PAGES.includes(name)) testPage(name)
})
