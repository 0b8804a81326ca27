// SPDX-License-Identifier: Apache-2.0
import { table } from './table-shape.ts'

/** The nine tables of customers, their accounts and what those hold. */
export const CUSTOMER_TABLES = {
  customer: table({
    columns: [
      'c_id integer, c_tax_id text, c_l_name text, c_f_name text, c_tier integer',
      'c_ad_id integer, c_email_2 text, c_pad text',
    ],
    primaryKey: ['c_id'],
    indexes: { customer_tax_id: { on: ['c_tax_id'], unique: true } },
  }),
  customer_account: table({
    columns: [
      'ca_id integer, ca_b_id integer, ca_c_id integer, ca_name text, ca_tax_st integer',
      'ca_bal integer',
    ],
    primaryKey: ['ca_id'],
    indexes: { customer_account_customer: { on: ['ca_c_id'] } },
  }),
  customer_taxrate: table({
    columns: ['cx_c_id integer, cx_tx_id text'],
    primaryKey: ['cx_c_id', 'cx_tx_id'],
  }),
  account_permission: table({
    columns: ['ap_ca_id integer, ap_tax_id text, ap_acl text, ap_l_name text, ap_f_name text'],
    primaryKey: ['ap_ca_id', 'ap_tax_id'],
  }),
  // One prefix scan of its key, forward or backward, walks a position first-in or last-in first.
  holding: table({
    columns: [
      'h_ca_id integer, h_s_symb text, h_dts integer, h_t_id integer, h_price integer',
      'h_qty integer',
    ],
    primaryKey: ['h_ca_id', 'h_s_symb', 'h_dts', 'h_t_id'],
  }),
  holding_history: table({
    columns: ['hh_t_id integer, hh_h_t_id integer, hh_before_qty integer, hh_after_qty integer'],
    primaryKey: ['hh_t_id', 'hh_h_t_id'],
    indexes: { holding_history_holding: { on: ['hh_h_t_id', 'hh_t_id'] } },
  }),
  holding_summary: table({
    columns: ['hs_ca_id integer, hs_s_symb text, hs_qty integer'],
    primaryKey: ['hs_ca_id', 'hs_s_symb'],
  }),
  watch_list: table({
    columns: ['wl_id integer, wl_c_id integer'],
    primaryKey: ['wl_id'],
    indexes: { watch_list_customer: { on: ['wl_c_id'] } },
  }),
  watch_item: table({
    columns: ['wi_wl_id integer, wi_s_symb text'],
    primaryKey: ['wi_wl_id', 'wi_s_symb'],
  }),
} as const
