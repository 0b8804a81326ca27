// SPDX-License-Identifier: Apache-2.0
import { describe } from 'node:test'
import { LONG_PAGES, testPage } from './guide-pages.ts'

describe('the long pages of the guide answer what is printed below their statements', () => {
  for (const name of LONG_PAGES) testPage(name)
})
