import { LIMITS } from '../limits.ts';
import { type DevicePoint, type DevicePointsInput, type OwnPointsInput, POINT_RANGES, type Point } from './position.ts';

/**
 * The bodies of location requests as devices send them, read many times faster than their schemas would. Invariant:
 * what is read here is what the schema would make of it; in any doubt nothing is read, and the schema has the word.
 */
export function readOwnPoints(body: unknown): OwnPointsInput | undefined {
  const sent = listIn(body, LIMITS.pointsOfOneAgent);
  if (!sent) return undefined;
  const points: Point[] = [];
  for (const item of sent) {
    const point = readPoint(item);
    if (!point) return undefined;
    points.push(point);
  }
  return { points };
}

export function readDevicePoints(body: unknown): DevicePointsInput | undefined {
  const sent = listIn(body, LIMITS.pointsOfDeviceGateway);
  if (!sent) return undefined;
  const points: DevicePoint[] = [];
  for (const item of sent) {
    const point = readPoint(item);
    if (!point || !Number.isSafeInteger(point.agentId) || (point.agentId as number) < 1) return undefined;
    points.push(point as DevicePoint);
  }
  return { points };
}

function listIn(body: unknown, most: number): readonly unknown[] | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { points } = body as { readonly points?: unknown };
  return Array.isArray(points) && points.length > 0 && points.length <= most ? points : undefined;
}

/** A point with its unchecked `agentId`. */
function readPoint(item: unknown): (Point & { readonly agentId: unknown }) | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const sent = item as Readonly<Record<keyof typeof POINT_RANGES | 'recordedAt' | 'agentId', unknown>>;
  const { latitude, longitude } = sent;
  if (!isBetween(latitude, POINT_RANGES.latitude) || !isBetween(longitude, POINT_RANGES.longitude)) return undefined;
  const recordedAtMs = readTime(sent.recordedAt);
  const accuracy = optional(sent.accuracy, POINT_RANGES.accuracy);
  const speed = optional(sent.speed, POINT_RANGES.speed);
  const heading = optional(sent.heading, POINT_RANGES.heading);
  const altitude = optional(sent.altitude, POINT_RANGES.altitude);
  const battery = optional(sent.battery, POINT_RANGES.battery);
  const isWhole =
    recordedAtMs !== undefined &&
    accuracy !== undefined &&
    speed !== undefined &&
    heading !== undefined &&
    altitude !== undefined &&
    battery !== undefined;
  if (!isWhole) return undefined;
  return { agentId: sent.agentId, latitude, longitude, recordedAtMs, accuracy, speed, heading, altitude, battery };
}

type Range = readonly [least: number, most: number];

function isBetween(value: unknown, [least, most]: Range): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}

/** NaN where nothing is said; undefined where it is wrong. */
function optional(value: unknown, range: Range): number | undefined {
  if (value === undefined || value === null) return Number.NaN;
  return isBetween(value, range) ? value : undefined;
}

const ZERO = 48;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAY_MS = 86_400_000;
const CENTURY_MS = Date.UTC(2000);

/** `2026-11-21T10:20:30.123Z` and the same without milliseconds, of this century; other forms are left to the schema. */
function readTime(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const { length } = text;
  const isForm =
    (length === 24 || length === 20) &&
    text.charCodeAt(length - 1) === 90 &&
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    (length === 20 || text.charCodeAt(19) === 46);
  if (!isForm || two(text, 0) !== 20) return undefined;
  const year = two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  const millisecond = length === 20 ? 0 : two(text, 20) * 10 + digit(text, 22);
  const isReal =
    month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year) && hour <= 23 && minute <= 59 && second <= 59;
  // A character that is no digit makes NaN, which is neither greater nor less than anything.
  if (!isReal || !(year >= 0) || !(millisecond >= 0)) return undefined;
  return dayStart(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond;
}

function daysIn(month: number, year: number): number {
  return month === 2 && year % 4 === 0 ? 29 : DAYS_IN_MONTH[month - 1]!;
}

/** Midnight of a day of this century. */
function dayStart(year: number, month: number, day: number): number {
  const isLeap = year % 4 === 0;
  const days =
    year * 365 + Math.ceil(year / 4) + DAYS_BEFORE_MONTH[month - 1]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return CENTURY_MS + days * DAY_MS;
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}
