import {
  LOG_LEVELS,
  LOG_ORIGINS,
  type LogLevel,
  type LogOrigin,
} from '@trellis/contract/log-levels.ts';
import type { BadgeTone } from '../../../ui/badge.tsx';

export const LEVEL_OPTIONS = [
  { value: '', label: 'Every level' },
  ...LOG_LEVELS.map((value) => ({
    value,
    label: value === 'fatal' ? value : `${value} and above`,
  })),
];

export const ORIGIN_WORDS: Readonly<Record<LogOrigin, string>> = {
  server: 'Server',
  replication: 'Replication',
  endpoint: 'Endpoint',
  job: 'Job',
};

export const ORIGIN_OPTIONS = [
  { value: '', label: 'Every source' },
  ...LOG_ORIGINS.map((value) => ({ value, label: ORIGIN_WORDS[value] })),
];

export function levelOf(text: string | undefined): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}

export function originOf(text: string | undefined): LogOrigin | undefined {
  return LOG_ORIGINS.find((origin) => origin === text);
}

export function toneOf(level: LogLevel): BadgeTone {
  if (level === 'error' || level === 'fatal') return 'danger';
  if (level === 'warn') return 'warning';
  return level === 'info' ? 'info' : 'neutral';
}
