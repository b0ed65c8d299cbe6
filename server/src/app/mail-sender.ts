import { isIP } from 'node:net';
import { unescape } from 'node:querystring';
import { setTimeout } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { MAIL_SILENCE_MAX_MS, MAILS_WAITING_MAX } from '#base/limits.ts';
import type { Mail, MailSender } from '#identity/password-reset-service.ts';
import type { Logger } from '#observe/logger.ts';

export interface MailSenderOptions {
  /** `MSK_SMTP_URL`. */
  readonly smtpUrl: string;
  /** `MSK_PUBLIC_ADDRESS`. */
  readonly publicAddress: string | null;
  readonly logger: Logger;
  /** Between one try and the next; after the last of them a mail is given up. */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS = [1_000, 10_000, 60_000];

/**
 * Sends by SMTP, each mail on its own. What the server says it will never take is not tried again.
 * Nothing of a mail gets into the log: it may hold a secret. Disposing gives up what is under way.
 */
export function openMailSender(options: MailSenderOptions): MailSender & AsyncDisposable {
  const { smtpUrl, logger, retryDelaysMs = RETRY_DELAYS_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Set<Promise<void>>();
  const address = senderAddress(smtpUrl, options.publicAddress);
  let transport: Promise<Transporter> | undefined;

  const trySending = async (mail: Mail): Promise<void> => {
    for (const delayMs of [...retryDelaysMs, null]) {
      try {
        transport ??= openTransport(smtpUrl, address);
        await (await transport).sendMail({ ...mail, to: { name: '', address: mail.to }, signal });
        return;
      } catch (error) {
        const { code, responseCode } = faultOf(error);
        const isFinal = delayMs === null || signal.aborted || (responseCode ?? 0) >= 500;
        logger.warn({ code, responseCode, isFinal }, 'a mail was not sent');
        if (isFinal) return;
        await setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
      }
    }
  };

  return {
    send(mail) {
      if (underWay.size >= MAILS_WAITING_MAX) {
        logger.warn('a mail was dropped: too many are under way');
        return;
      }
      const sending = trySending(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

/** The library is loaded only here: most starts send no mail. */
async function openTransport(url: string, address: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(
    {
      url,
      connectionTimeout: MAIL_SILENCE_MAX_MS,
      greetingTimeout: MAIL_SILENCE_MAX_MS,
      socketTimeout: MAIL_SILENCE_MAX_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: { name: 'Trellis', address }, headers: { 'Auto-Submitted': 'auto-generated' } },
  );
}

/**
 * The user of the mail server when it is an address, else no-reply at the host that people know.
 */
export function senderAddress(smtpUrl: string, publicAddress: string | null): string {
  const smtp = new URL(smtpUrl);
  const user = unescape(smtp.username);
  if (/^[^@\s]+@[^@\s]+$/.test(user)) return user;
  const hosts = [publicAddress === null ? '' : new URL(publicAddress).hostname, smtp.hostname];
  const named = hosts.find((host) => host !== '' && isIP(host.replace(/^\[|\]$/g, '')) === 0);
  return `no-reply@${named ?? 'localhost'}`;
}

/** The code of the library, such as ECONNECTION, and the number that the mail server answered. */
function faultOf(error: unknown): { readonly code: unknown; readonly responseCode?: number } {
  const { code, responseCode }: { code?: unknown; responseCode?: unknown } = Object(error);
  return { code, ...(typeof responseCode === 'number' ? { responseCode } : {}) };
}
