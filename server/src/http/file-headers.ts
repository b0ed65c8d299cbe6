import { HARMLESS_MEDIA_TYPES } from '@trellis/contract/shapes/file.ts';

export interface FileHeaders {
  readonly 'content-type': string;
  readonly 'content-disposition': string;
}

/** Whatever a file is called and says that it is, a browser neither runs it nor takes its name for anything else. */
export function fileHeaders(name: string, contentType: string): FileHeaders {
  const isHarmless = HARMLESS_MEDIA_TYPES.includes(contentType);
  const type = isHarmless ? contentType : 'application/octet-stream';
  return {
    'content-type': type === 'text/plain' ? `${type}; charset=utf-8` : type,
    'content-disposition': disposition(isHarmless ? 'inline' : 'attachment', name),
  };
}

/** The name twice (RFC 6266): once for those who read nothing but ASCII, once as it is. */
function disposition(kind: string, name: string): string {
  const plain = name.replaceAll(/[^\w.\- ]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
