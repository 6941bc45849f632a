package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium with one page. Commands go over a pipe (the DevTools protocol), so
// the tests need no other program.
type browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	pipe    *os.File // that out reads
	session string
	calls   int
	events  []event // all events so far
}

// patience is how long a browser may take to say something. Where other work takes the processors,
// it needs minutes for a large page.
const patience = 5 * time.Minute

// event is a message of the browser that answers no command.
type event struct {
	Method string
	Params json.RawMessage
}

// findBrowser returns the path of Chromium; empty: there is none.
func findBrowser() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser",
		"google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// newBrowser starts a browser, which ends with the test.
func newBrowser(t *testing.T, program string) *browser {
	t.Helper()
	read, in, bad := os.Pipe()
	out, write, err := os.Pipe()
	if err = errors.Join(bad, err); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless=new", "--remote-debugging-pipe",
		"--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--no-first-run", "--disable-extensions", "--disable-background-networking",
		"--force-color-profile=srgb", "--font-render-hinting=none",
		"--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{read, write} // 3 and 4, as the browser expects them
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = read.Close(), write.Close()
	b := &browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20), pipe: out}
	t.Cleanup(func() {
		b.session = ""
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		b.send("Browser.close", nil)
		_ = cmd.Wait()
		_ = errors.Join(in.Close(), out.Close())
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true},
		&attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// send sends a command and returns its number.
func (b *browser) send(method string, params any) int {
	b.calls++
	message := map[string]any{"id": b.calls, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return b.calls
}

// call sends a command and decodes its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	id := b.send(method, params)
	for {
		m := b.next()
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// message is a message of the browser: an answer or an event.
type message struct {
	event
	ID            int
	Result, Error json.RawMessage
}

// next reads one message, and keeps it if it is an event.
func (b *browser) next() (m message) {
	b.t.Helper()
	if err := b.pipe.SetReadDeadline(time.Now().Add(patience)); err != nil {
		b.t.Fatal(err)
	}
	text, err := b.out.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m)
	}
	if err != nil {
		b.t.Fatalf("the browser says no more: %v", err)
	}
	if m.ID == 0 {
		b.events = append(b.events, m.event)
	}
	return m
}

// open loads a page and waits for it.
func (b *browser) open(url string) {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for b.next().Method != "Page.loadEventFired" {
	}
}

// size sets the size of the window, and the color scheme that the user prefers.
func (b *browser) size(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false},
		nil)
	b.media("", scheme)
}

// media sets the medium, print or screen, and the color scheme.
func (b *browser) media(medium, scheme string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia",
		map[string]any{"media": medium,
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}},
		nil)
}

// run evaluates an expression in the page and decodes its value.
func (b *browser) run(expression string, value any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate",
		map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true},
		&answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%.80s: %s", expression, answer.ExceptionDetails)
	}
	if value != nil {
		if err := json.Unmarshal(answer.Result.Value, value); err != nil {
			b.t.Fatalf("%.80s: %s: %v", expression, answer.Result.Value, err)
		}
	}
}

// mouse sends a pointer event: mousePressed, mouseMoved, mouseReleased.
func (b *browser) mouse(what string, x, y float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent",
		map[string]any{"type": what, "x": x, "y": y, "button": "left", "buttons": 1,
			"clickCount": 1}, nil)
}

// bytesOf returns the data in the result of a command.
func (b *browser) bytesOf(method string, params any) []byte {
	b.t.Helper()
	var answer struct{ Data string }
	b.call(method, params, &answer)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// complaints returns errors of the console, exceptions, and requests for anything except the page
// itself.
func (b *browser) complaints() (all []string) {
	for _, e := range b.events {
		var p struct {
			Type    string
			Entry   struct{ Level, Text string }
			Request struct{ URL string }
		}
		if err := json.Unmarshal(e.Params, &p); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case e.Method == "Runtime.exceptionThrown", e.Method == "Runtime.consoleAPICalled":
			all = append(all, string(e.Params))
		case e.Method == "Log.entryAdded":
			all = append(all, p.Entry.Level+": "+p.Entry.Text)
		case e.Method == "Network.requestWillBeSent" && !strings.HasSuffix(p.Request.URL, ".html"):
			all = append(all, fmt.Sprintf("a request for %.80s", p.Request.URL))
		}
	}
	return all
}
