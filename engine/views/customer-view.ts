import {
  type CustomerRecord,
  type CustomerView,
  customerDetailView,
  customerView,
  type DeliverySummary,
} from '../../schema/customers/customer.ts';
import { compileSerializer } from './parts/serializer.ts';
import { taskCustomerViewOf } from './task-view.ts';

const serializeCustomer = compileSerializer(customerView);
const serializeDetail = compileSerializer(customerDetailView);

/** Returns the JSON of a customer: the same bytes in responses and lists. */
export function encodeCustomer(customer: CustomerRecord): string {
  return serializeCustomer(customerViewOf(customer));
}

/** Returns the JSON of a customer read by its id. */
export function encodeCustomerDetail(customer: CustomerRecord, deliverySummary: DeliverySummary): string {
  return serializeDetail({ ...customerViewOf(customer), deliverySummary });
}

function customerViewOf(customer: CustomerRecord): CustomerView {
  const { firstName, lastName, address, createdAt, updatedAt } = customer;
  const name = lastName === '' ? firstName : `${firstName} ${lastName}`;
  return { ...taskCustomerViewOf(customer), name, address, createdAt, updatedAt };
}
