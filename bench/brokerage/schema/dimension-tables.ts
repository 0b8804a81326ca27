// SPDX-License-Identifier: Apache-2.0
import { table } from './table-shape.ts'

/** The four tables that the others refer to. */
export const DIMENSION_TABLES = {
  address: table({
    columns: ['ad_id integer, ad_line1 text, ad_line2 text, ad_zc_code text, ad_ctry text'],
    primaryKey: ['ad_id'],
  }),
  status_type: table({
    columns: ['st_id text, st_name text'],
    primaryKey: ['st_id'],
  }),
  // The rate is in hundred-thousandths.
  taxrate: table({
    columns: ['tx_id text, tx_name text, tx_rate integer'],
    primaryKey: ['tx_id'],
  }),
  zip_code: table({
    columns: ['zc_code text, zc_town text, zc_div text'],
    primaryKey: ['zc_code'],
  }),
} as const
