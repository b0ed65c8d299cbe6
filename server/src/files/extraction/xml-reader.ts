import { Parser } from 'htmlparser2';
import { Depth } from './depth.ts';
import type { TextSink } from './text-sink.ts';

export interface XmlHandlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close?: (name: string) => void;
}

const PART_CHARACTERS = 64 * 1024;

/** Reads XML as a stream of tags. No entity is expanded but those of characters, so that none grows. */
export function readXml(bytes: Buffer, { open, text, close }: XmlHandlers): void {
  const depth = new Depth();
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth.enter();
        open?.(name, attributes);
      },
      ontext: text,
      onclosetag(name) {
        depth.leave();
        close?.(name);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const source = bytes.toString('utf8');
  for (let at = 0; at < source.length; at += PART_CHARACTERS) {
    parser.write(source.slice(at, at + PART_CHARACTERS));
  }
  parser.end();
}

/** The text in some elements, with what others stand for. */
export interface Layout {
  /** Elements whose text is shown; undefined for all. */
  readonly shown?: ReadonlySet<string>;
  /** What an element is when it begins. */
  readonly atOpen: ReadonlyMap<string, string>;
  readonly atClose: ReadonlyMap<string, string>;
}

export function addText(bytes: Buffer, sink: TextSink, { shown, atOpen, atClose }: Layout): void {
  let depth = 0;
  readXml(bytes, {
    open(name) {
      if (shown?.has(name) === true) depth++;
      const mark = atOpen.get(name);
      if (mark !== undefined) sink.add(mark);
    },
    text(text) {
      if (shown === undefined || depth > 0) sink.add(text);
    },
    close(name) {
      if (shown?.has(name) === true) depth--;
      const mark = atClose.get(name);
      if (mark !== undefined) sink.add(mark);
    },
  });
}
